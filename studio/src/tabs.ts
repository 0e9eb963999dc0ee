// Tabs by the usual rules: one tab stop, arrows move between tabs, Home and End to the ends.

export function startTabs(list: HTMLElement, onShow: (panel: HTMLElement) => void): void {
  const tabs = [...list.querySelectorAll<HTMLElement>('[role="tab"]')];
  const panelOf = (tab: HTMLElement) => document.getElementById(tab.getAttribute('aria-controls') ?? '');
  const show = (chosen: HTMLElement) => {
    for (const tab of tabs) {
      const panel = panelOf(tab);
      const isChosen = tab === chosen;
      tab.setAttribute('aria-selected', String(isChosen));
      tab.tabIndex = isChosen ? 0 : -1;
      if (panel) panel.hidden = !isChosen;
      if (panel && isChosen) onShow(panel);
    }
  };
  tabs.forEach((tab, i) => {
    tab.addEventListener('click', () => show(tab));
    tab.addEventListener('keydown', (event) => {
      const to = { ArrowLeft: i - 1, ArrowRight: i + 1, Home: 0, End: tabs.length - 1 }[event.key];
      if (to === undefined) return;
      event.preventDefault();
      const next = tabs[(to + tabs.length) % tabs.length];
      next?.focus();
      if (next) show(next);
    });
  });
}

// The drawing loop.

import type { Player } from './player';
import type { View } from './view/view';

/** Milliseconds without change after which the picture counts as still. */
const SETTLED = 150;

/** Draws when there is something new to see, and only then. */
export class Loop {
  view: View | undefined;
  private asked = false;
  private before = 0;
  private rest = 0;

  constructor(private readonly player: Player) {}

  request(): void {
    if (this.asked) return;
    this.asked = true;
    requestAnimationFrame((now) => this.frame(now));
  }

  private frame(now: number): void {
    this.asked = false;
    const seconds = this.before ? Math.min((now - this.before) / 1000, 0.5) : 0;
    if (this.player.playing && this.before) this.view?.stage.measure(seconds);
    this.player.tick(seconds);
    this.view?.stage.setMoving(true);
    const moving = this.view?.update(Math.min(seconds, 0.1)) ?? false;
    const goesOn = this.player.playing || moving;
    this.before = goesOn ? now : 0;
    clearTimeout(this.rest);
    if (goesOn) this.request();
    else this.rest = window.setTimeout(() => this.settle(), SETTLED);
  }

  /** Nothing moves any more: one last picture, in full quality. */
  private settle(): void {
    this.view?.stage.setMoving(false);
    this.view?.update(0);
  }
}

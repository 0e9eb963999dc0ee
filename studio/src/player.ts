// The clock of the page: where in the run we are, and how it goes on.

export const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4] as const;

/** `time`: another moment; `state`: playing, speed or loop. */
export type Change = 'time' | 'state';

export class Player {
  /** Seconds from the start of the run; between frames while playing. */
  time = 0;
  playing = false;
  speed = 1;
  loop = true;
  /** Runs that were played through since the reader last chose a moment. */
  loops = 0;
  private readonly listeners: ((change: Change) => void)[] = [];

  constructor(
    readonly frames: number,
    readonly dt: number,
  ) {}

  /** Seconds from the first frame to the last. */
  get duration(): number {
    return (this.frames - 1) * this.dt;
  }

  /** The frame nearest to the present time. */
  get frame(): number {
    return Math.min(this.frames - 1, Math.round(this.time / this.dt));
  }

  onChange(listener: (change: Change) => void): void {
    this.listeners.push(listener);
  }

  /** Lets `seconds` of real time pass. */
  tick(seconds: number): void {
    if (!this.playing) return;
    const next = this.time + seconds * this.speed;
    if (next < this.duration) {
      this.time = next;
    } else if (this.loop && this.duration > 0) {
      this.loops += Math.floor(next / this.duration);
      this.time = next % this.duration;
    } else {
      this.time = this.duration;
      this.playing = false;
      this.tell('state');
    }
    this.tell('time');
  }

  seek(time: number): void {
    this.loops = 0;
    this.goTo(time);
  }

  private goTo(time: number): void {
    this.time = Math.min(Math.max(time, 0), this.duration);
    this.tell('time');
  }

  seekFrame(frame: number): void {
    this.seek(Math.min(Math.max(frame, 0), this.frames - 1) * this.dt);
  }

  /** Goes some frames on or back within the run, and stops there. */
  step(frames: number): void {
    const to = this.frame + frames;
    this.pause();
    if (to < 0 || to >= this.frames) this.seekFrame(to);
    else this.goTo(to * this.dt);
  }

  toggle(): void {
    if (this.playing) this.pause();
    else this.play();
  }

  play(): void {
    if (this.frames < 2) return;
    if (this.time >= this.duration) this.seek(0);
    this.playing = true;
    this.tell('state');
  }

  /** Stops on a whole frame, so that the view and the numbers show the same moment. */
  pause(): void {
    if (!this.playing) return;
    this.playing = false;
    this.goTo(this.frame * this.dt);
    this.tell('state');
  }

  setSpeed(speed: number): void {
    this.speed = speed;
    this.tell('state');
  }

  /** The next faster (+1) or slower (−1) speed. */
  changeSpeed(by: 1 | -1): void {
    const now = SPEEDS.findIndex((speed) => speed >= this.speed);
    const next = SPEEDS[Math.min(Math.max(now + by, 0), SPEEDS.length - 1)];
    if (next) this.setSpeed(next);
  }

  toggleLoop(): void {
    this.loop = !this.loop;
    this.tell('state');
  }

  private tell(change: Change): void {
    for (const listener of this.listeners) listener(change);
  }
}

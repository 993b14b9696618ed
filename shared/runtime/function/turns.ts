/** Runs of one key one after another; those of different keys at once. */
export class Turns {
  readonly #underWay = new Map<string, Promise<unknown>>();

  /** Begins at once when nothing of the key is under way, else when that has ended, however it ended. */
  async take<T>(key: string, run: () => Promise<T>): Promise<T> {
    while (this.#underWay.has(key)) await this.#underWay.get(key);
    const own = run();
    const end = (): void => void this.#underWay.delete(key);
    this.#underWay.set(key, own.then(end, end));
    return own;
  }
}

/** Runs calls of one key one after another, and those of different keys at once. */
export class Turns {
  readonly #underWay = new Map<string, Promise<unknown>>();

  /** Begins at once if no call of the key is running, else after that one has ended in any way. */
  async take<T>(key: string, run: () => Promise<T>): Promise<T> {
    while (this.#underWay.has(key)) await this.#underWay.get(key);
    const own = run();
    const end = (): void => void this.#underWay.delete(key);
    this.#underWay.set(key, own.then(end, end));
    return own;
  }
}

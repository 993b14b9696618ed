/** A map that lists its values in the order of their keys, byte by byte for ASCII as etcd does. */
export class SortedMap<Value> {
  readonly #values = new Map<string, Value>();
  readonly #keys: string[] = [];
  /** The list of the last call. Undefined after a change. */
  #listed: readonly Value[] | undefined;

  get size(): number {
    return this.#keys.length;
  }

  get(key: string): Value | undefined {
    return this.#values.get(key);
  }

  set(key: string, value: Value): void {
    if (!this.#values.has(key)) this.#keys.splice(this.#indexOf(key), 0, key);
    this.#listed = undefined;
    this.#values.set(key, value);
  }

  delete(key: string): void {
    if (!this.#values.delete(key)) return;
    this.#keys.splice(this.#indexOf(key), 1);
    this.#listed = undefined;
  }

  /** A list that later writes do not change. Returns the same list until then. */
  values(): readonly Value[] {
    this.#listed ??= this.#keys.map((key) => this.#values.get(key) as Value);
    return this.#listed;
  }

  /** The position of `key`: the first one whose key is not before it. */
  #indexOf(key: string): number {
    let low = 0;
    let high = this.#keys.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#keys[middle] ?? '') < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

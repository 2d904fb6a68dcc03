/**
 * A set of what is there for milliseconds, in the order in which it came. A `Set` and a `Map` replace their table every few
 * entries, and an `EventTarget` leaves what was removed linked to what came after it. Once that is old to the garbage
 * collector, all it points at stays until the next full collection.
 */
export class ShortLivedSet<Item> {
  readonly #items: Item[] = [];

  get size(): number {
    return this.#items.length;
  }

  add(item: Item): void {
    if (!this.#items.includes(item)) this.#items.push(item);
  }

  /** Whether it was there. */
  delete(item: Item): boolean {
    const at = this.#items.indexOf(item);
    if (at !== -1) this.#items.splice(at, 1);
    return at !== -1;
  }

  find(isWanted: (item: Item) => boolean): Item | undefined {
    return this.#items.find(isWanted);
  }

  /** Those of this moment. */
  list(): Item[] {
    return [...this.#items];
  }
}

/** Builds a protobuf message from its fields; absent values are left out. */
export class MessageWriter {
  readonly #parts: Uint8Array[] = [];

  text(field: number, value: unknown): this {
    if (typeof value !== 'string' || value === '') return this;
    return this.bytes(field, Buffer.from(value));
  }

  texts(field: number, values: unknown): this {
    if (Array.isArray(values)) for (const value of values) this.text(field, value);
    return this;
  }

  flag(field: number, value: unknown): this {
    if (value === true) this.#parts.push(varint((field << 3) | 0), varint(1));
    return this;
  }

  integer(field: number, value: unknown): this {
    if (typeof value === 'number') this.#parts.push(varint(field << 3), varint(value));
    return this;
  }

  double(field: number, value: unknown): this {
    if (typeof value !== 'number') return this;
    const bytes = Buffer.alloc(8);
    bytes.writeDoubleLE(value);
    this.#parts.push(varint((field << 3) | 1), bytes);
    return this;
  }

  message(field: number, value: MessageWriter | undefined): this {
    return value === undefined ? this : this.bytes(field, value.finish());
  }

  bytes(field: number, value: Uint8Array): this {
    this.#parts.push(varint((field << 3) | 2), varint(value.length), value);
    return this;
  }

  finish(): Buffer {
    return Buffer.concat(this.#parts);
  }
}

function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  while (rest >= 128) {
    bytes.push((rest % 128) + 128);
    rest = Math.floor(rest / 128);
  }
  bytes.push(rest);
  return Uint8Array.from(bytes);
}

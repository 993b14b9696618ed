import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';

/** Builds a protobuf message from its fields, without absent values. */
export class MessageWriter {
  readonly #writer = new BinaryWriter();

  text(field: number, value: unknown): this {
    if (typeof value !== 'string' || value === '') return this;
    this.#writer.tag(field, WireType.LengthDelimited).string(value);
    return this;
  }

  texts(field: number, values: unknown): this {
    if (Array.isArray(values)) for (const value of values) this.text(field, value);
    return this;
  }

  flag(field: number, value: unknown): this {
    if (value === true) this.#writer.tag(field, WireType.Varint).bool(value);
    return this;
  }

  integer(field: number, value: unknown): this {
    if (typeof value === 'number') this.#writer.tag(field, WireType.Varint).int64(value);
    return this;
  }

  double(field: number, value: unknown): this {
    if (typeof value === 'number') this.#writer.tag(field, WireType.Bit64).double(value);
    return this;
  }

  message(field: number, value: MessageWriter | undefined): this {
    return value === undefined ? this : this.bytes(field, value.finish());
  }

  bytes(field: number, value: Uint8Array): this {
    this.#writer.tag(field, WireType.LengthDelimited).bytes(value);
    return this;
  }

  finish(): Uint8Array {
    return this.#writer.finish();
  }
}

/** Fields of a protobuf message as they are on the wire (protobuf.dev/programming-guides/encoding). */
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';

export interface WireField {
  readonly number: number;
  /** Varints and fixed numbers as bigint. All else as bytes: a text, message or packed list. */
  readonly value: bigint | Uint8Array;
}

/** Thrown for bytes that are not a message. */
export class MalformedProtobuf extends Error {
  override readonly name = 'MalformedProtobuf';
}

export function* wireFields(bytes: Uint8Array): Generator<WireField> {
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) yield nextField(reader);
}

function nextField(reader: BinaryReader): WireField {
  try {
    const [number, type] = reader.tag();
    return { number, value: valueOf(reader, type) };
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new MalformedProtobuf(why, { cause });
  }
}

function valueOf(reader: BinaryReader, type: WireType): bigint | Uint8Array {
  switch (type) {
    case WireType.Varint:
      return BigInt(reader.uint64());
    case WireType.Bit64:
      return BigInt(reader.fixed64());
    case WireType.Bit32:
      return BigInt(reader.fixed32());
    case WireType.LengthDelimited:
      return reader.bytes();
    default:
      throw new Error('groups are not read');
  }
}

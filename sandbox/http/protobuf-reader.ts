/** Fields of a protobuf message as they stand on the wire (protobuf.dev/programming-guides/encoding). */

export interface WireField {
  readonly number: number;
  /** Varints and fixed numbers as bigint, else the bytes of a text, message or packed list. */
  readonly value: bigint | Uint8Array;
}

/** Thrown for bytes that are no message. */
export class MalformedProtobuf extends Error {
  override readonly name = 'MalformedProtobuf';
}

export function* wireFields(bytes: Uint8Array): Generator<WireField> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let offset = 0;
  while (offset < bytes.length) {
    const [tag, afterTag] = varint(bytes, offset);
    offset = afterTag;
    const number = Number(tag >> 3n);
    switch (Number(tag & 7n)) {
      case 0: {
        const [value, next] = varint(bytes, offset);
        offset = next;
        yield { number, value };
        break;
      }
      case 1:
        checkLength(bytes, offset + 8);
        yield { number, value: view.getBigUint64(offset, true) };
        offset += 8;
        break;
      case 2: {
        const [length, start] = varint(bytes, offset);
        const end = start + Number(length);
        checkLength(bytes, end);
        yield { number, value: bytes.subarray(start, end) };
        offset = end;
        break;
      }
      case 5:
        checkLength(bytes, offset + 4);
        yield { number, value: BigInt(view.getUint32(offset, true)) };
        offset += 4;
        break;
      default:
        throw new MalformedProtobuf(`field ${number} has an unknown wire type`);
    }
  }
}

function varint(bytes: Uint8Array, start: number): [value: bigint, next: number] {
  let value = 0n;
  for (let offset = start, shift = 0n; shift < 70n; offset += 1, shift += 7n) {
    const byte = bytes[offset];
    if (byte === undefined) break;
    value |= BigInt(byte & 127) << shift;
    if (byte < 128) return [BigInt.asUintN(64, value), offset + 1];
  }
  throw new MalformedProtobuf('a number is cut off');
}

function checkLength(bytes: Uint8Array, end: number): void {
  if (end > bytes.length) throw new MalformedProtobuf('a field is cut off');
}

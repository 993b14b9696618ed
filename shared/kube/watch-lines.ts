/** Longest accepted line of a watch: ten times what etcd stores of one object. */
export const longestLineBytes = 16 * 1024 * 1024;

export class LineTooLong extends Error {
  override readonly name = 'LineTooLong';
}

export class CutLine extends Error {
  override readonly name = 'CutLine';
}

const newline = 0x0a;

/**
 * Splits a byte stream into lines. Chunks may end anywhere, even inside a character. Throws {@link
 * CutLine} if the stream ends within a line: half an event must not be skipped silently. Throws
 * {@link LineTooLong} beyond `limitBytes`.
 */
export async function* linesOf(
  chunks: AsyncIterable<Buffer>,
  limitBytes = longestLineBytes,
): AsyncGenerator<string, void, undefined> {
  let pending: Buffer[] = [];
  let pendingBytes = 0;
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      const tail = chunk.subarray(start, end);
      start = end + 1;
      const line = pendingBytes === 0 ? tail : Buffer.concat([...pending, tail]);
      pending = [];
      pendingBytes = 0;
      if (line.length > 0) yield line.toString('utf8');
    }
    const rest = chunk.subarray(start);
    pendingBytes += rest.length;
    if (pendingBytes > limitBytes) throw new LineTooLong(`a line of more than ${limitBytes} bytes`);
    pending.push(rest);
  }
  if (pendingBytes > 0) throw new CutLine(`the stream ended ${pendingBytes} bytes into a line`);
}

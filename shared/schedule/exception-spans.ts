/** Exceptions as spans without overlap. If several cover a moment, the last one in the list counts. */
import type { ExceptionTimes } from './exception-times.ts';

/** In order of time. */
export function exceptionSpans(exceptions: readonly ExceptionTimes[]): readonly ExceptionTimes[] {
  const edges = [...new Set(exceptions.flatMap(({ fromMs, toMs }) => [fromMs, toMs]))].sort(
    (left, right) => left - right,
  );
  return edges.flatMap((fromMs, index) => {
    const toMs = edges[index + 1];
    const decides = exceptions.findLast((each) => each.fromMs <= fromMs && fromMs < each.toMs);
    return decides === undefined || toMs === undefined ? [] : [{ ...decides, fromMs, toMs }];
  });
}

import { Session } from 'node:inspector';

const isOurs = (url: string) => /\/(shared|functions)\//.test(url) && !url.includes('node_modules');

/**
 * How many functions of `shared` and `functions` are called while something runs: a measure of its work that does
 * not depend on the machine. What the runtime does by itself is not in it.
 */
export function callsOf(run: () => unknown): number {
  const session = new Session();
  session.connect();
  try {
    session.post('Profiler.enable');
    session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    run();
    let calls = 0;
    session.post('Profiler.takePreciseCoverage', (error, { result }) => {
      if (error !== null) throw error;
      for (const { url, functions } of result.filter((script) => isOurs(script.url))) {
        if (url === '') continue;
        calls += functions.reduce((sum, { ranges }) => sum + (ranges[0]?.count ?? 0), 0);
      }
    });
    return calls;
  } finally {
    session.post('Profiler.stopPreciseCoverage');
    session.disconnect();
  }
}

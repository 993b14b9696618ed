import { type Profiler, Session } from 'node:inspector';

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
    session.post('Debugger.enable');
    session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    run();
    let calls = 0;
    session.post('Profiler.takePreciseCoverage', (error, { result }) => {
      if (error !== null) throw error;
      for (const script of result.filter(({ url }) => isOurs(url)))
        calls += callsIn(script, session);
    });
    return calls;
  } finally {
    session.post('Profiler.stopPreciseCoverage');
    session.disconnect();
  }
}

/** Vitest makes each export of a module a function that is called wherever it is used. */
const exported = /^\(\) => \{ try \{ return \w+ \} catch \{\} \}$/;

function callsIn({ scriptId, functions }: Profiler.ScriptCoverage, session: Session): number {
  let source = '';
  session.post('Debugger.getScriptSource', { scriptId }, (error, { scriptSource }) => {
    if (error !== null) throw error;
    source = scriptSource;
  });
  const calls = functions.map(({ ranges: [whole] }) => {
    const { startOffset = 0, endOffset = 0, count = 0 } = whole ?? {};
    return exported.test(source.slice(startOffset, endOffset)) ? 0 : count;
  });
  return calls.reduce((sum, count) => sum + count, 0);
}

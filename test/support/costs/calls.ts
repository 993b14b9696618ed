import { type Profiler, Session } from 'node:inspector';

const isOurs = (url: string) => /\/(shared|functions)\//.test(url) && !url.includes('node_modules');

/**
 * Counts the calls of functions in `shared` and `functions` during a run. This measures work independently of the
 * machine. Work inside the runtime is not counted.
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

/** Vitest turns each export into a function that is called at every use. */
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

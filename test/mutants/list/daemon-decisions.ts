/** Bugs in what daemon-fanout sees and decides. */
import type { Mutant } from '../mutant.ts';

const folder = 'functions/daemon-fanout';

export const daemonMutants: readonly Mutant[] = [
  {
    name: 'takes the removal of the Job of another machine for that of its own',
    file: `${folder}/observe/needs.ts`,
    find: 'const isUnsaid = gone.has(trace) && !isLedgerEnd(entry?.state);',
    replacement:
      'const isUnsaid = [...gone].some((each) => nameOfTrace(each) === nameOfTrace(trace)) && !isLedgerEnd(entry?.state);',
    tests: [`${folder}/observe.test.ts`],
  },
  {
    name: 'leaves the suspended Jobs of a DaemonJob that is stopped',
    file: 'functions/daemon-fanout/decide.ts',
    find: "(removes === 'suspended' && job?.suspend === true)",
    replacement: "(removes === 'suspended' && job === undefined)",
    tests: [`${folder}/decide/shutdown.test.ts`],
  },
  {
    name: 'deletes what runs for a gate that a shutdown deleted',
    file: `${folder}/decide/policies.ts`,
    find: 'mode === undefined ? failuresOf(records)',
    replacement: "mode !== 'Terminate' ? failuresOf(records)",
    tests: [`${folder}/decide/shutdown.test.ts`],
  },
  {
    name: 'never ends what is shut down and goes on for ever',
    file: `${folder}/decide/situation.ts`,
    find: 'if (isEndless(situation) && !(isShutDown(situation) && isJudged)) return false;',
    replacement: 'if (isEndless(situation)) return false;',
    tests: [`${folder}/decide/shutdown.test.ts`],
  },
  {
    name: 'overlooks at a second shutdown what an endless DaemonJob has started',
    file: `${folder}/decide/situation.ts`,
    find: 'if (isEndless(situation) && !(isShutDown(situation) && isJudged)) return false;',
    replacement: 'if (isEndless(situation) && !isShutDown(situation)) return false;',
    tests: [`${folder}/decide/shutdown.test.ts`],
  },
  {
    name: 'gives nodes whose names differ in a dot one Job',
    file: 'shared/domain/node-job-name.ts',
    find: '`${daemonJob}/${node}/${attempt}`',
    replacement: '`${daemonJob}/${sanitised(node)}/${attempt}`',
    tests: ['shared/domain/node-job-name.test.ts'],
  },
  {
    name: 'wakes every DaemonJob with the heartbeat of a node',
    file: `${folder}/subscription/node.ts`,
    find: 'ready ?? null,',
    replacement: 'ready ?? null, JSON.stringify(node.status ?? {}),',
    tests: [`${folder}/subscription.test.ts`],
  },
];

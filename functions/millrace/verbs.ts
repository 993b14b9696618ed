/** The verbs of the command line, in the order of its help. A verb is added by a file in `verbs` and a line here. */
import type { Command } from 'commander';
import { addExplainCommands } from './explain-commands.ts';
import { addApply, addDelete } from './verbs/apply.ts';
import { addCompletion } from './verbs/completion.ts';
import { addCrds } from './verbs/crds.ts';
import { addDemo } from './verbs/demo.ts';
import { addDoctor } from './verbs/doctor.ts';
import { addGet, addWatch } from './verbs/get.ts';
import { addGraph } from './verbs/graph.ts';
import { addInvoke } from './verbs/invoke.ts';
import { addInstall, addUninstall } from './verbs/install.ts';
import { addHelp } from './verbs/help.ts';
import { addLint } from './verbs/lint.ts';
import { addLogs } from './verbs/logs.ts';
import { addQueue } from './verbs/queue.ts';
import { addRun } from './verbs/run.ts';
import { addSchedule } from './verbs/schedule.ts';
import { addUp } from './verbs/up.ts';
import { addVersion } from './verbs/version.ts';
import { addApprove, addCancel, addResume, addRetry, addSuspend } from './verbs/wishes.ts';

/** Declares a verb. Its implementation is loaded when the verb is called. */
type AddVerb = (program: Command) => void;

export const verbs: readonly (readonly [group: string, ...AddVerb[]])[] = [
  ['Try it:', addUp, addDemo],
  [
    'Day by day:',
    addApply,
    addDelete,
    addGet,
    addWatch,
    addLogs,
    addRetry,
    addCancel,
    addSuspend,
    addResume,
    addApprove,
    addExplainCommands,
  ],
  ['Write manifests:', addLint, addGraph, addSchedule],
  ['Operate:', addRun, addQueue, addInvoke, addInstall, addUninstall, addDoctor, addCrds],
  ['About the command line:', addCompletion, addVersion, addHelp],
];

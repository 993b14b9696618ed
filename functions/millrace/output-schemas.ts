/** The published shapes of `-o json`, by verb. A member may be added; none is removed or changed. */
import type { TSchema } from 'typebox';
import { doctorLineSchema } from './doctor/doctor-schema.ts';
import { errorLineSchema } from './error-schema.ts';
import { graphLineSchema } from './graph/graph-schema.ts';
import { invocationLineSchema } from './invoke/invocation-schema.ts';
import { decisionLineSchema } from './journal/decision-line-schema.ts';
import { lintLineSchema } from './lint/lint-schema.ts';
import { replayLineSchema } from './replay/replay-schema.ts';
import { previewsSchema } from './schedule/preview-schema.ts';
import { queueLineSchema } from './up/queue-schema.ts';
import { versionSchema } from './version-schema.ts';
import { explanationSchema } from './why/explanation-schema.ts';

export const outputSchemas = {
  why: published('why', explanationSchema),
  journal: published('journal', decisionLineSchema),
  replay: published('replay', replayLineSchema),
  invoke: published('invoke', invocationLineSchema),
  queue: published('queue', queueLineSchema),
  graph: published('graph', graphLineSchema),
  lint: published('lint', lintLineSchema),
  doctor: published('doctor', doctorLineSchema),
  version: published('version', versionSchema),
  schedule: {
    ...published('schedule preview', previewsSchema),
    title: 'What `millrace schedule preview -o json` prints',
  },
  error: {
    ...published('VERB', errorLineSchema),
    title: 'A failure, where `-o json` is asked for',
  },
} as const;

function published(verb: string, schema: TSchema) {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: `A line of \`millrace ${verb} -o json\``,
    ...schema,
  };
}

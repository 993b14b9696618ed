import { readFile } from 'node:fs/promises';
import { parseAllDocuments, stringify } from 'yaml';

/** kwok plays the kubelet and runs no commands. Annotations set run time and exit code. */
const runForAnnotation = 'simulate.millrace.dev/run-for';
const exitCodeAnnotation = 'simulate.millrace.dev/exit-code';

interface Container {
  readonly command?: readonly string[];
}
interface JobTemplate {
  readonly template: {
    metadata?: { annotations?: Record<string, string> };
    readonly spec: { readonly containers: readonly Container[] };
  };
}
interface Manifest {
  readonly spec: {
    readonly jobTemplate?: JobTemplate;
    readonly flows?: readonly { readonly jobTemplate?: JobTemplate }[];
  };
}

/**
 * The manifests of a file, with every `sleep N` made `factor` times as fast and every `exit N`
 * kept, as annotations on the pod templates. All else is unchanged.
 */
export async function scaledExample(file: string, factor: number): Promise<string> {
  const documents = parseAllDocuments(await readFile(file, 'utf8'));
  return documents
    .map((document) => {
      const manifest = document.toJS() as Manifest;
      for (const template of templatesOf(manifest)) annotate(template, factor);
      return stringify(manifest);
    })
    .join('---\n');
}

function templatesOf({ spec }: Manifest): readonly JobTemplate[] {
  const ofSteps = (spec.flows ?? []).flatMap((flow) => flow.jobTemplate ?? []);
  return spec.jobTemplate === undefined ? ofSteps : [spec.jobTemplate, ...ofSteps];
}

function annotate({ template }: JobTemplate, factor: number): void {
  const command = (template.spec.containers[0]?.command ?? []).join(' ');
  const sleepSeconds = Number(/\bsleep (\d+)/.exec(command)?.[1] ?? 1);
  const exitCode = /\bexit (\d+)/.exec(command)?.[1] ?? '0';
  const runForMs = Math.round((sleepSeconds * 1000) / factor);
  template.metadata = {
    ...template.metadata,
    annotations: {
      ...template.metadata?.annotations,
      [runForAnnotation]: `${runForMs}ms`,
      [exitCodeAnnotation]: exitCode,
    },
  };
}

/** A real Prometheus on 127.0.0.1, with its data in a temporary folder. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { freePort } from '../free-ports.ts';
import { ManagedProcess } from '../managed-process.ts';
import { startOrphanGuard } from '../orphan-guard.ts';

export interface PrometheusOptions {
  /** Path of `prometheus`. */
  readonly program: string;
  /** Scraped twice a second. */
  readonly target: {
    readonly url: URL;
    readonly job: string;
    /** Added to each of its series. */
    readonly labels: Readonly<Record<string, string>>;
  };
  /** Path of a rules file; rules are evaluated each second. */
  readonly rulesFile: string;
}

export interface Prometheus extends AsyncDisposable {
  /** The `data` of an answer from its HTTP API. Throws if the answer has an error or a warning. */
  ask(path: `/api/v1/${string}`, query?: Readonly<Record<string, string>>): Promise<unknown>;
}

interface Answer {
  readonly status: 'success' | 'error';
  readonly data?: unknown;
  readonly error?: string;
  readonly warnings?: readonly string[];
  /** For example, a rate of a metric that is not a counter. */
  readonly infos?: readonly string[];
}

export async function startPrometheus(options: PrometheusOptions): Promise<Prometheus> {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-prometheus-'));
  const configFile = join(folder, 'prometheus.yml');
  await writeFile(configFile, stringify(configuration(options)));
  const address = `127.0.0.1:${await freePort()}`;
  const guard = startOrphanGuard(folder);
  const server = new ManagedProcess({
    command: options.program,
    args: [
      `--config.file=${configFile}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=${address}`,
      '--log.level=warn',
    ],
    logFile: join(folder, 'prometheus.log'),
    guard,
  });
  const stop = async () => {
    await server.stop();
    guard.close();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    server.start();
    await server.waitUntil(() => isReady(address));
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    ask: async (path, query = {}) => {
      const url = `http://${address}${path}?${new URLSearchParams(query).toString()}`;
      const answer = (await (await fetch(url)).json()) as Answer;
      const { status, data, error, warnings = [], infos = [] } = answer;
      const faults = status === 'error' ? [error] : [...warnings, ...infos];
      if (faults.length > 0)
        throw new Error(`${path} ${query['query'] ?? ''}: ${faults.join(', ')}`);
      return data;
    },
    [Symbol.asyncDispose]: stop,
  };
}

function configuration({ target: { url, job, labels }, rulesFile }: PrometheusOptions): object {
  return {
    global: { scrape_interval: '500ms', scrape_timeout: '500ms', evaluation_interval: '1s' },
    rule_files: [rulesFile],
    scrape_configs: [
      {
        job_name: job,
        metrics_path: url.pathname,
        static_configs: [{ targets: [url.host], labels }],
      },
    ],
  };
}

async function isReady(address: string): Promise<boolean> {
  try {
    return (await fetch(`http://${address}/-/ready`)).ok;
  } catch {
    return false;
  }
}

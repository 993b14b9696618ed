/** Sends a container's log, and with `follow` all later lines until the container ends. */
import type { KubeObject } from '#shared/domain/objects.ts';
import type { SandboxApi } from '../api/api.ts';
import { StatusError } from '../apimachinery/status-error.ts';
import { containerOf, lineText, logOf, logOptions, logText } from './log-request.ts';
import type { ContainerLog, PodLogs } from '../api/pod-logs.ts';
import { type Exchange, sendText } from './respond.ts';

export interface LogServer {
  readonly api: Pick<SandboxApi, 'clock'>;
  readonly logs: PodLogs;
  readonly streams: Set<() => void>;
}

/** Interval between two looks at a followed log. */
const followMs = 100;

/** `podNow`: the present state of the Pod. Throws StatusError before anything is sent. */
export function serveLog(server: LogServer, exchange: Exchange, podNow: () => KubeObject): void {
  const { logs, api } = server;
  const pod = podNow();
  const options = logOptions(pod.metadata.name, exchange.query, api.clock.now());
  const container = containerOf(pod, options.container);
  const log = logOf(logs, pod, container, options.previous);
  const text = logText(log.lines, options);
  if (!options.follow || !log.isRunning) {
    const { limitBytes } = options;
    const body = limitBytes === undefined ? text : limited(text, limitBytes);
    sendText(exchange, 200, 'text/plain', body);
    return;
  }
  const { response } = exchange;
  response.writeHead(200, { 'Content-Type': 'text/plain', 'Transfer-Encoding': 'chunked' });
  response.flushHeaders();
  if (text !== '') response.write(text);
  let sent = log.lines.length;
  const logNow = (): ContainerLog | undefined => {
    try {
      return logs.logsOf(podNow(), container, options.previous);
    } catch (error) {
      // The Pod is gone, and so is the rest of its log.
      if (error instanceof StatusError) return undefined;
      throw error;
    }
  };
  const look = (): void => {
    const now = logNow();
    for (const line of now?.lines.slice(sent) ?? []) response.write(lineText(line, options));
    sent = now?.lines.length ?? sent;
    if (now?.isRunning !== true) end();
  };
  const timer = setInterval(look, followMs);
  const end = (): void => {
    clearInterval(timer);
    if (!response.writableEnded) response.end();
  };
  server.streams.add(end);
  response.on('close', () => {
    end();
    server.streams.delete(end);
  });
}

function limited(text: string, bytes: number): string {
  return Buffer.from(text).subarray(0, bytes).toString('utf8');
}

/** Writes answers: headers, formats and faults. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { stringify } from 'yaml';
import { StatusError } from '../apimachinery/status-error.ts';
import type { Accepted } from './accept.ts';
import type { PublishedDocument } from './openapi/documents.ts';

/** One request and its answer. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly query: URLSearchParams;
  readonly path: string;
}

export function newExchange(request: IncomingMessage, response: ServerResponse): Exchange {
  const [path, query] = splitOnce(request.url ?? '/', '?');
  response.setHeader('Audit-Id', randomUUID());
  response.setHeader('Cache-Control', 'no-cache, private');
  return { request, response, path, query: new URLSearchParams(query) };
}

function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}

export function sendObject(
  exchange: Exchange,
  code: number,
  body: object,
  format: Accepted['format'] = 'json',
): void {
  const text = format === 'yaml' ? stringify(body) : jsonText(exchange, body);
  sendText(exchange, code, `application/${format}`, text);
}

/** JSON on several lines: on request, or for a command-line HTTP tool. */
function jsonText({ request, query }: Exchange, body: object): string {
  const asked = query.get('pretty');
  const isTool = /^(curl|Wget|Mozilla)\//.test(request.headers['user-agent'] ?? '');
  const isPretty = asked === null ? isTool : asked !== '0' && asked !== 'false';
  return `${isPretty ? JSON.stringify(body, null, 2) : JSON.stringify(body)}\n`;
}

export function sendText(
  { response }: Exchange,
  code: number,
  contentType: string,
  text: string,
): void {
  if (response.headersSent) return;
  const body = Buffer.from(text);
  response.writeHead(code, { 'Content-Type': contentType, 'Content-Length': body.length });
  response.end(body);
}

/** With an ETag. The answer is 304 when the client has it already. */
export function sendDocument(
  { request, response }: Exchange,
  { body, hash }: PublishedDocument,
  contentType: string,
): void {
  const tag = `"${hash}"`;
  const isKnown = request.headers['if-none-match']
    ?.split(',')
    .some((known) => known.trim().replace(/^W\//, '') === tag);
  response.setHeader('ETag', tag);
  response.setHeader('Vary', 'Accept');
  response.setHeader('Cache-Control', 'public');
  if (isKnown === true) {
    response.writeHead(304).end();
    return;
  }
  response.writeHead(200, { 'Content-Type': contentType, 'Content-Length': body.length });
  response.end(body);
}

/**
 * A metav1.Status. Any error other than a StatusError is a bug of the sandbox and reported as 500.
 */
export function sendFault(
  exchange: Exchange,
  error: unknown,
  format: Accepted['format'] = 'json',
): void {
  const fault = statusErrorOf(error);
  const retryAfter = fault.details?.retryAfterSeconds;
  if (!exchange.response.headersSent && retryAfter !== undefined) {
    exchange.response.setHeader('Retry-After', String(retryAfter));
  }
  // Otherwise the unread rest of the body would be parsed as the next request.
  if (!exchange.request.complete) exchange.response.setHeader('Connection', 'close');
  sendObject(exchange, fault.code, statusBody(fault), format);
}

export function statusErrorOf(error: unknown): StatusError {
  if (error instanceof StatusError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new StatusError(500, 'InternalError', `Internal error occurred: ${message}`, {
    causes: [{ reason: 'InternalError', message }],
  });
}

/** An empty name is omitted, as in Go. */
export function statusBody(fault: StatusError): object {
  const status = fault.toStatus();
  const details = status['details'] as Record<string, unknown> | undefined;
  if (details?.['name'] !== '') return status;
  const named = Object.fromEntries(Object.entries(details).filter(([key]) => key !== 'name'));
  return { ...status, details: named };
}

/** Sends Warning headers of code 299 (RFC 7234), which kubectl prints. */
export function sendWarnings({ response }: Exchange, warnings: readonly string[]): void {
  const unique = [...new Set(warnings)];
  if (unique.length === 0 || response.headersSent) return;
  response.setHeader(
    'Warning',
    unique.map((text) => `299 - "${text.replace(/[\r\n]+/g, ' ').replace(/(["\\])/g, '\\$1')}"`),
  );
}

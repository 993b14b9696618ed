/** Why a request is refused, with the HTTP answer. The sender gets the detail. */
export class RequestRefused extends Error {
  override readonly name = 'RequestRefused';
  readonly statusCode: number;
  /** Title of the problem. */
  readonly code: string;

  constructor(statusCode: number, code: string, detail: string) {
    super(detail);
    this.statusCode = statusCode;
    this.code = code;
  }
}

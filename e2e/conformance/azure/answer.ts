/** A request to one of Azure's services. */
export interface ApiRequest {
  readonly host: string;
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  /** The parsed JSON body. Undefined if there is no body or it is not a JSON object. */
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

export interface Answer {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Renders an error response in Azure's format. */
export function renderError(status: number, code: string, message: string): Answer {
  return { status, body: { error: { code, message } } };
}

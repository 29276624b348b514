import { createClient, Fault } from "@cloudwright/api-client";

/** Called when the server reports that the session has ended. */
let onSignedOut: () => void = () => undefined;

/** Registers the function to call when the session has ended. */
export function watchSignOut(listener: () => void): void {
  onSignedOut = listener;
}

/** Called for each warning in a response, unless the code that sent the request shows the warnings itself. */
let onWarning: (warning: string) => void = () => undefined;

/** Registers the function that shows warnings, such as policy findings that do not block a change. */
export function watchWarnings(listener: (warning: string) => void): void {
  onWarning = listener;
}

/** Sends a request to the server that served this page. The custom header prevents CSRF, because other sites cannot set it. */
export async function fetchHere(input: RequestInfo | URL, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  headers.set("x-cloudwright-csrf", "1");
  const response = await fetch(input, { ...init, headers });
  if (response.status === 401) onSignedOut();
  return response;
}

/** The typed API client. Requests are authenticated by a session cookie, which scripts cannot read. */
export const client = createClient({
  server: globalThis.location?.origin ?? "http://console",
  fetch: fetchHere,
  onWarning: (warning) => onWarning(warning),
});

/** Sends a request and returns the warnings in its response. */
export async function collectWarnings(send: (onWarning: (warning: string) => void) => Promise<unknown>): Promise<string[]> {
  const warnings: string[] = [];
  await send((warning) => warnings.push(warning));
  return warnings;
}

/** Converts any thrown value into a fault. */
export function toFault(error: unknown): Pick<Fault, "code" | "message" | "help" | "fields"> {
  if (error instanceof Fault) return error;
  const message = error instanceof Error ? error.message : String(error);
  return {
    code: "console.unexpected",
    message,
    help: "Reload the page. If the error persists, check the server log.",
    fields: [],
  };
}

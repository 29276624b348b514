import { createClient, Fault } from "@cloudwright/api-client";

/** Called when the server says that nobody is signed in any more. */
let onSignedOut: () => void = () => undefined;

/** Registers who wants to hear that the session is over. */
export function watchSignOut(listener: () => void): void {
  onSignedOut = listener;
}

/** A request of this page. The header proves that it is not another site's: those cannot send it. */
export async function fetchHere(input: RequestInfo | URL, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  headers.set("x-cloudwright-csrf", "1");
  const response = await fetch(input, { ...init, headers });
  if (response.status === 401) onSignedOut();
  return response;
}

/** The API as typed calls. The cookie that goes along says who is asking; no script can read it. */
export const client = createClient({ server: globalThis.location?.origin ?? "http://console", fetch: fetchHere });

/** A failure as a fault, whatever it was. */
export function toFault(error: unknown): Pick<Fault, "code" | "message" | "help" | "fields"> {
  if (error instanceof Fault) return error;
  const message = error instanceof Error ? error.message : String(error);
  return { code: "console.unexpected", message, help: "Load the page again; if it stays, look at the server's log.", fields: [] };
}

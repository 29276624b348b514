import { Fault } from "@cloudwright/api-client";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { fetchHere } from "./client.ts";

/** The signed-in user and the expiry of the session. */
export interface Session {
  readonly user: string;
  readonly expiresAt: string;
}

const path = "/v1/session";

/** The session of this browser, or null if the user is not signed in. */
export const sessionQuery = queryOptions({
  queryKey: ["session"],
  queryFn: async ({ signal }): Promise<Session | null> => {
    const response = await fetch(path, { signal });
    if (response.status === 401) return null;
    if (!response.ok) throw await toProblem(response);
    return (await response.json()) as Session;
  },
  staleTime: 60_000,
});

export function useSession(): Session | undefined {
  return useQuery(sessionQuery).data ?? undefined;
}

/** Exchanges an API key or a sign-in token for a session. Neither is stored in the browser. */
export async function signIn(proof: { readonly key: string } | { readonly token: string }): Promise<Session> {
  const response = await fetch(path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(proof),
  });
  if (!response.ok) throw await toProblem(response);
  return (await response.json()) as Session;
}

/** Ends the session in the browser and on the server. */
export async function signOut(): Promise<void> {
  const response = await fetchHere(path, { method: "DELETE" });
  if (!response.ok && response.status !== 401) throw await toProblem(response);
}

async function toProblem(response: Response): Promise<Fault> {
  const problem = (await response.json().catch(() => ({}))) as { code?: string; detail?: string; help?: string };
  const message = problem.detail ?? `the server responded with status ${response.status}`;
  const definition = {
    code: problem.code ?? "console.unexpected",
    kind: "invalid",
    retry: "never",
    when: "",
    help: problem.help ?? "",
  } as const;
  return new Fault(definition, message);
}

import { Fault } from "@cloudwright/platform";
import type { CallerRow } from "@cloudwright/store";
import { createAgentCaller, createCaller, type Caller } from "../calls/authorise.ts";
import type { ApiDeps } from "../deps.ts";
import { apiFaults } from "../faults.ts";
import { isAgentToken } from "./agent-tokens.ts";
import { isApiKey } from "./api-keys.ts";
import { requireNotForged, type RequestOrigin } from "./csrf.ts";
import { capOf, findKeyHolder, getSessionHolder, getTokenHolder, requireUsable } from "./holder.ts";
import { readSessionCookie } from "./session-cookie.ts";

/** The parts of a request that identify its caller. */
export interface Credentials extends RequestOrigin {
  readonly authorization: string | undefined;
  readonly cookie: string | undefined;
}

const apiAudience = "cloudwright";

/** Returns the caller, or undefined if the request has no credential. Throws if the credential is not valid. */
export async function authenticate(
  deps: Pick<ApiDeps, "pool" | "tokens" | "clock">,
  request: Credentials,
): Promise<Caller | undefined> {
  if (request.authorization !== undefined) return authenticateBearer(deps, readBearer(request.authorization));
  const cookie = readSessionCookie(request.cookie);
  if (cookie === undefined) return undefined;
  requireNotForged(request);
  const row = await getSessionHolder(deps, cookie);
  return {
    ...createCaller(row, "session", row.prefix, capOf(row)),
    isCurrent: stillHolds(row, () => getSessionHolder(deps, cookie)),
  };
}

/**
 * Returns whether the request carries an API key or a session that exists, or a token that this platform or a known agent has signed. Usually
 * needs no database lookup. The credential may have expired or its owner may have been deleted, so the caller still has to be authenticated.
 */
export async function recognises(deps: Pick<ApiDeps, "tokens">, { authorization, cookie }: Credentials): Promise<boolean> {
  const session = authorization === undefined ? readSessionCookie(cookie) : undefined;
  if (session !== undefined) return deps.tokens.recognisesKey(session);
  const credential = parseBearer(authorization ?? "");
  if (credential === undefined) return false;
  if (isApiKey(credential)) return deps.tokens.recognisesKey(credential);
  if (credential.split(".").length !== 3) return false;
  return isAgentToken(credential) ? deps.tokens.recognisesAgent(credential) : deps.tokens.recognises(credential, apiAudience);
}

function parseBearer(header: string): string | undefined {
  return /^bearer +([^\s]+)$/i.exec(header)?.[1];
}

function readBearer(header: string): string {
  const credential = parseBearer(header);
  if (credential === undefined)
    throw new Fault(apiFaults.unauthenticated, "the Authorization header is not `Bearer <API key or token>`");
  return credential;
}

async function authenticateBearer(deps: Pick<ApiDeps, "pool" | "tokens" | "clock">, credential: string): Promise<Caller> {
  if (credential.startsWith("cw_")) {
    const find = async (): Promise<CallerRow> => requireUsable(deps, "API key", await findKeyHolder(deps, credential));
    const row = await find();
    return { ...createCaller(row, "key", row.prefix, capOf(row)), isCurrent: stillHolds(row, find) };
  }
  if (credential.split(".").length !== 3)
    throw new Fault(apiFaults.unauthenticated, "the credential is neither an API key nor a token");
  if (isAgentToken(credential)) {
    const agent = await deps.tokens.verifyAgent(credential);
    return { ...createAgentCaller(agent), isCurrent: () => isAccepted(() => deps.tokens.verifyAgent(credential)) };
  }
  const token = await deps.tokens.verify(credential, apiAudience);
  const row = await getTokenHolder(deps, token);
  const caller = createCaller(row, "token", token.jti, token.cap, token.expiresAt);
  return { ...caller, isCurrent: stillHolds(row, () => getTokenHolder(deps, token)) };
}

/**
 * Returns a function that checks whether the credential is still valid and the caller still has all grants. Additional grants do not end a
 * stream.
 */
function stillHolds(row: CallerRow, find: () => Promise<CallerRow>): () => Promise<boolean> {
  const render = ({ grants }: CallerRow): string[] => grants.map((grant) => JSON.stringify(grant));
  return () =>
    isAccepted(find, (found) => {
      const now = new Set(render(found));
      return render(row).every((grant) => now.has(grant));
    });
}

async function isAccepted<Found>(find: () => Promise<Found>, holds: (found: Found) => boolean = () => true): Promise<boolean> {
  try {
    return holds(await find());
  } catch (error) {
    if (error instanceof Fault && error.kind === "unauthenticated") return false;
    throw error;
  }
}

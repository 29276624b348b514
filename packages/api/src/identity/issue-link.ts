import type { ApiDeps } from "../deps.ts";
import { capOf, findKeyHolder, requireUsable } from "./holder.ts";
import { consoleAudience, maxTokenSeconds } from "./token-claims.ts";

/** Creates the token for a console sign-in link. The link works once, within five minutes, and signs in the holder of the API key. */
export async function issueSignInToken(deps: Pick<ApiDeps, "pool" | "clock" | "tokens">, key: string): Promise<string> {
  const row = requireUsable(deps, "API key", await findKeyHolder(deps, key));
  const { token } = await deps.tokens.issue({
    userUid: row.user_uid,
    audience: consoleAudience,
    ttlSeconds: maxTokenSeconds,
    singleUse: true,
    cap: capOf(row),
    key: row.key_uid === null ? undefined : { uid: row.key_uid, prefix: row.prefix },
  });
  return token;
}

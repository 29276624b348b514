import type { Clock } from "@cloudwright/platform";
import { importJWK, SignJWT } from "jose";
import { randomUUID } from "node:crypto";
import type { BootTime } from "./boot-time.ts";
import type { AgentIdentity } from "./identity.ts";

const lifeSeconds = 300;
const renewAfterMs = 240_000;

/** Issues short-lived tokens that the agent signs itself. */
export interface TokenSource {
  token(): Promise<string>;
  /**
   * Learns the server's time from the `date` header of a response. Token lifetimes are based on the server's time, because the server
   * checks them.
   */
  learnTime(date: string | null): void;
  /** Discards the current token, so that the next call creates a new one. */
  forget(): void;
}

/** Creates a source of tokens signed with the agent's key. Uses the wall clock until the first response contains the server's time. */
export function createTokenSource(deps: { identity: AgentIdentity; clock: Clock; bootTime: BootTime }): TokenSource {
  const { identity, clock, bootTime } = deps;
  let serverAheadMs: number | undefined;
  let current: { text: Promise<string>; madeAtMs: number } | undefined;

  const nowSeconds = (): number => Math.floor((serverAheadMs === undefined ? clock.now() : bootTime() + serverAheadMs) / 1000);
  const sign = async (): Promise<string> => {
    const issuedAt = nowSeconds();
    return new SignJWT()
      .setProtectedHeader({ alg: "EdDSA", typ: "agent+jwt", kid: identity.uid })
      .setIssuer("cloudwright-agent")
      .setSubject(identity.uid)
      .setAudience("cloudwright")
      .setIssuedAt(issuedAt)
      .setExpirationTime(issuedAt + lifeSeconds)
      .setJti(randomUUID())
      .sign(await importJWK(identity.privateKey, "EdDSA"));
  };
  return {
    token() {
      if (current === undefined || bootTime() - current.madeAtMs >= renewAfterMs) {
        current = { text: sign(), madeAtMs: bootTime() };
      }
      return current.text;
    },
    learnTime(date) {
      const toldMs = Date.parse(date ?? "");
      if (Number.isNaN(toldMs)) return;
      serverAheadMs = toldMs - bootTime();
    },
    forget() {
      current = undefined;
    },
  };
}

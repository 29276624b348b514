import type { ApiRefusal } from "../provider/definition.ts";

/** Thrown if the cloud rejects a request. */
export class ApiError extends Error {
  readonly refusal: ApiRefusal;
  /** The time on the cloud's clock. Set if the caller's clock was the problem. */
  readonly nowMs: number | undefined;

  constructor(refusal: ApiRefusal, nowMs?: number) {
    super(`${refusal.code}: ${refusal.message}`);
    this.refusal = refusal;
    this.nowMs = nowMs;
  }
}

/** Thrown if the cloud rejects a request because it cannot authenticate the caller. */
export class AuthError extends ApiError {}

import type { Variables } from "./conformance-case.ts";

/** A local server that answers the real provider's requests as the cloud would. */
export interface LocalCloud {
  /** Returns the provider settings that redirect requests to this server, for example `{ google: { ... } }`. */
  renderProvider(): object;
  /** Environment variables for Terraform. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Returns the ids of all existing resources. The list must be empty after a case has been destroyed. */
  listResources(): readonly string[] | Promise<readonly string[]>;
  /**
   * Returns a message for each request that violated the cloud's API model. These messages fail the suite even if the provider ignored the
   * error responses.
   */
  listForbidden(): readonly string[];
  /** Replaces placeholders in variables with ids that are known only once the server is running. */
  resolve?(variables: Variables): Variables;
  /**
   * Restores the state in which the server started. Each case starts from that state, so that a failed case does not affect the next one.
   */
  reset(): void | Promise<void>;
  close(): Promise<void>;
}

import type { Clock, Logger } from "@cloudwright/platform";
import type { ChangeFeed, KeyRing, Pool, Versions } from "@cloudwright/store";
import type { Tokens } from "./identity/tokens.ts";

/** What the operations work with. */
export interface ApiDeps {
  readonly pool: Pool;
  readonly feed: ChangeFeed;
  readonly versions: Versions;
  readonly keyRing: KeyRing;
  readonly clock: Clock;
  readonly log: Logger;
  readonly tokens: Tokens;
}

/**
 * The base of every package: time, ids, configuration, logs, faults, secrets, JSON, address ranges, retries and shutdown. It must not know
 * about entities, protocols or databases. It is the only package that reads process.env.
 */
import { createClockOffset } from "./clock-offset.ts";
import { offsetSystemClock } from "./clock.ts";
import { processEnvironment } from "./config.ts";

export * from "./address-limit.ts";
export * from "./byte-budget.ts";
export * from "./agent-config.ts";
export * from "./back-off.ts";
export * from "./cidr.ts";
export * from "./clock.ts";
export * from "./config.ts";
export * from "./engine-config.ts";
export * from "./fault.ts";
export * from "./faults.ts";
export * from "./gather.ts";
export * from "./ids.ts";
export * from "./json.ts";
export * from "./log.ts";
export * from "./rate-limiter.ts";
export * from "./retention.ts";
export * from "./secret.ts";
export * from "./share.ts";
export * from "./shutdown.ts";
export * from "./source-network.ts";
export * from "./suggest.ts";
export * from "./tools.ts";
export * from "./trim-end.ts";

offsetSystemClock(createClockOffset(processEnvironment));

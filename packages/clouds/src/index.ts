/**
 * Calls cloud APIs through their official SDKs, behind one port, `CloudProvider`, and one published library, `CloudLibrary`. Each cloud has a folder with the same file names, and
 * `providers.ts` is the registry. SDKs are loaded on first use. The package must not depend on entities, tasks or Terraform runs.
 */
export * from "./account-view.ts";
export * from "./cloud-provider.ts";
export * from "./faults.ts";
export * from "./library.ts";
export * from "./not-implemented.ts";
export * from "./permission-policy.ts";
export type { CloudPart } from "./library/parts.ts";
export type { InstanceStart, InstanceUserData } from "./library/instance-start.ts";
export { orderBlocks } from "./library/order-blocks.ts";
export { createLibrary, createParts, createProvider, hasParts, renderUserData } from "./providers.ts";

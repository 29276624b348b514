/**
 * The clouds' own APIs, called with their official SDKs, behind one port: `CloudProvider`. Each cloud has a folder with the same file names,
 * and `providers.ts` is the registry. The package knows no entity, no task and no Terraform run. SDKs are loaded by their first use.
 */
export * from "./account-view.ts";
export * from "./cloud-provider.ts";
export * from "./faults.ts";
export * from "./not-implemented.ts";
export * from "./permission-policy.ts";
export { createProvider } from "./providers.ts";

/** Metadata keys that record what Compute Engine does not report about an instance. */
export const userKey = "cloudwright-user";
export const imageKey = "cloudwright-image";

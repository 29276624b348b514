import type { gaxios } from "google-auth-library";
import { Agent } from "node:https";
import { rootCertificates } from "node:tls";
import { isOverridden, redirect, type GcpEndpoints } from "./endpoints.ts";

/** Scopes of all access tokens. IAM decides what a token allows; the second scope lets Google Cloud return the identity behind it. */
export const scopes = ["https://www.googleapis.com/auth/cloud-platform", "https://www.googleapis.com/auth/userinfo.email"];

/** Time limit for a request. */
export const attemptMs = 60_000;

/**
 * Loads Google's authentication library and prepares client options that apply the endpoint overrides. The overridden endpoints may use
 * certificates from the certificate authorities in `caPem`.
 */
export async function openLibrary(endpoints: GcpEndpoints, caPem?: string) {
  const library = await import("google-auth-library");
  const transporter = new library.gaxios.Gaxios({ timeout: attemptMs });
  const agent = caPem === undefined ? undefined : new Agent({ keepAlive: true, ca: [...rootCertificates, caPem] });
  transporter.interceptors.request.add({
    async resolved(config) {
      const url = redirect(endpoints, config.url);
      return { ...config, url, ...(agent !== undefined && isOverridden(endpoints, url) ? { agent } : {}) };
    },
  });
  const options: { readonly transporter: gaxios.Gaxios } = { transporter };
  return { library, options };
}

import type { gaxios } from "google-auth-library";
import { redirect, type GcpEndpoints } from "./endpoints.ts";

/** Scopes of all access tokens. IAM decides what a token allows; the second scope lets Google Cloud return the identity behind it. */
export const scopes = ["https://www.googleapis.com/auth/cloud-platform", "https://www.googleapis.com/auth/userinfo.email"];

const attemptMs = 60_000;

/** Loads Google's authentication library and prepares client options that apply the endpoint overrides. */
export async function openLibrary(endpoints: GcpEndpoints) {
  const library = await import("google-auth-library");
  const transporter = new library.gaxios.Gaxios({ timeout: attemptMs });
  transporter.interceptors.request.add({ resolved: async (config) => ({ ...config, url: redirect(endpoints, config.url) }) });
  const options: { readonly transporter: gaxios.Gaxios } = { transporter };
  return { library, options };
}

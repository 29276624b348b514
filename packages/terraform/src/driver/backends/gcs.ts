import type { Secret } from "@cloudwright/platform";
import { requireSetting, type Backend } from "./backend.ts";

/** State in a Google Cloud Storage bucket, which provides locking. */
export interface GcsBackendSettings {
  readonly bucket: string;
  readonly prefix: string;
  /** Content of a service account key file. Default: the run's own credentials. */
  readonly credentials?: Secret;
  readonly impersonateServiceAccount?: string;
  readonly kmsKey?: string;
  /** Encryption key of 32 bytes in base64. */
  readonly encryptionKey?: Secret;
  /** URL of a compatible storage service. */
  readonly endpoint?: string;
}

/** Creates the backend. It uses backend-specific environment variables, so that the providers' credentials stay unchanged. */
export function createGcsBackend(state: GcsBackendSettings): Backend {
  const { bucket, prefix, credentials, impersonateServiceAccount, kmsKey, encryptionKey, endpoint } = state;
  requireSetting("bucket", bucket, /^[a-z0-9][a-z0-9._-]{1,220}[a-z0-9]$/, "my-states");
  requireSetting("prefix", prefix, /^(?!.*(^|\/)\.{1,2}(\/|$))[\w.-]+(\/[\w.-]+)*$/, "networks/main");
  if (impersonateServiceAccount !== undefined) {
    requireSetting(
      "impersonateServiceAccount",
      impersonateServiceAccount,
      /^[\w.-]+@[\w.-]+$/,
      "states@project.iam.gserviceaccount.com",
    );
  }
  if (kmsKey !== undefined)
    requireSetting("kmsKey", kmsKey, /^projects\/[\w./-]+$/, "projects/p/locations/l/keyRings/r/cryptoKeys/k");
  if (endpoint !== undefined) requireSetting("endpoint", endpoint, /^https?:\/\/[^\s@]+$/, "https://storage.example.org");
  return {
    type: "gcs",
    settings: {
      bucket,
      prefix,
      ...(impersonateServiceAccount === undefined ? {} : { impersonate_service_account: impersonateServiceAccount }),
      ...(kmsKey === undefined ? {} : { kms_encryption_key: kmsKey }),
      ...(endpoint === undefined ? {} : { storage_custom_endpoint: endpoint }),
    },
    secretEnvironment: {
      ...(credentials === undefined ? {} : { GOOGLE_BACKEND_CREDENTIALS: credentials }),
      ...(encryptionKey === undefined ? {} : { GOOGLE_ENCRYPTION_KEY: encryptionKey }),
    },
  };
}

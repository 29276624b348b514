import { findLocation } from "../gke/refusals.ts";
import { refuseMissing } from "../refusal.ts";
import { textOf } from "../../values/read-value.ts";
import type { GcpResources } from "../resource.ts";

/**
 * The Cloud KMS resource types. Key rings and keys are never deleted: deleting a key only destroys its versions, and all names remain
 * reserved.
 */
export const kmsResources: GcpResources = {
  google_kms_key_ring: {
    noun: "KeyRing",
    path: "projects/{project}/locations/{location}/keyRings/{name}",
    api: "cloudkms/v1",
    check: ({ operation, planned }) => {
      const location = textOf(planned["location"]);
      const isKnown = ["global", "us", "europe", "asia"].includes(location) || findLocation(location)?.region === location;
      return operation === "create" && !isKnown
        ? [
            {
              code: "notFound",
              status: 404,
              message: `Location ${location} is not found or access is unauthorized.`,
              path: ["location"],
            },
          ]
        : [];
    },
    sideEffects: ({ operation, id, prior }) =>
      operation === "delete" ? { put: [{ type: "google_kms_key_ring", id, attributes: { ...prior } }] } : {},
  },
  google_kms_crypto_key: {
    noun: "CryptoKey",
    path: "{key_ring}/cryptoKeys/{name}",
    api: "cloudkms/v1",
    forceNew: ["purpose", "import_only", "destroy_scheduled_duration"],
    defaults: { purpose: "ENCRYPT_DECRYPT" },
    computedBlocks: ["version_template"],
    names: [{ path: "key_ring", to: ["google_kms_key_ring"], tie: "none", missing: refuseMissing }],
    validate: ({ rotation_period: period }) =>
      typeof period === "string" && Number(period.replace(/s$/, "")) < 86_400
        ? [{ summary: "rotation_period must be at least 86400s", path: ["rotation_period"] }]
        : [],
    compute: ({ id }) => ({
      destroy_scheduled_duration: "2592000s",
      crypto_key_backend: "",
      import_only: false,
      primary: [{ name: `${id}/cryptoKeyVersions/1`, state: "ENABLED" }],
      version_template: [{ algorithm: "GOOGLE_SYMMETRIC_ENCRYPTION", protection_level: "SOFTWARE" }],
    }),
    // Removes the labels from the remaining key, so that no run adopts it.
    sideEffects: ({ operation, id, prior }) =>
      operation === "delete"
        ? {
            put: [
              {
                type: "google_kms_crypto_key",
                id,
                attributes: {
                  ...prior,
                  labels: {},
                  effective_labels: {},
                  terraform_labels: {},
                  primary: [{ name: "", state: "DESTROYED" }],
                },
              },
            ],
          }
        : {},
  },
};

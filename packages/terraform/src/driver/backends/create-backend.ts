import { Fault } from "@cloudwright/platform";
import { terraformFaults } from "../../faults.ts";
import { createAzurermBackend, type AzurermBackendSettings } from "./azurerm.ts";
import type { Backend } from "./backend.ts";
import { createGcsBackend, type GcsBackendSettings } from "./gcs.ts";
import { createHttpBackend, type HttpBackendSettings } from "./http.ts";
import { createPgBackend, type PgBackendSettings } from "./pg.ts";
import { createS3Backend, type S3BackendSettings } from "./s3.ts";

export type BackendSettings =
  | ({ readonly type: "http" } & HttpBackendSettings)
  | ({ readonly type: "s3" } & S3BackendSettings)
  | ({ readonly type: "gcs" } & GcsBackendSettings)
  | ({ readonly type: "azurerm" } & AzurermBackendSettings)
  | ({ readonly type: "pg" } & PgBackendSettings);

/** Creates a backend from its settings. Throws a fault that names the first invalid setting. */
export function createBackend(settings: BackendSettings): Backend {
  switch (settings.type) {
    case "http":
      return createHttpBackend(settings);
    case "s3":
      return createS3Backend(settings);
    case "gcs":
      return createGcsBackend(settings);
    case "azurerm":
      return createAzurermBackend(settings);
    case "pg":
      return createPgBackend(settings);
    default:
      throw new Fault(terraformFaults.bad_backend, `unknown backend ${JSON.stringify((settings as { type?: unknown }).type)}`);
  }
}

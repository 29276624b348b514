import type { Secret } from "@cloudwright/platform";
import { requireSetting, type Backend } from "./backend.ts";

/** State in a PostgreSQL database, which provides locking. */
export interface PgBackendSettings {
  /** Host name, or the directory of a Unix socket. */
  readonly host: string;
  readonly port?: number;
  readonly database: string;
  readonly user: string;
  readonly password?: Secret;
  /** Database schema. Terraform creates it if it does not exist. */
  readonly schema: string;
  readonly sslMode?: "disable" | "require" | "verify-ca" | "verify-full";
}

/**
 * Creates the backend. It does not use a connection string, because Terraform would write the whole string to disk, including the
 * password.
 */
export function createPgBackend(state: PgBackendSettings): Backend {
  const { host, port = 5432, database, user, password, schema, sslMode = "verify-full" } = state;
  requireSetting("host", host, /^(\/[^\s,]{1,100}|[\w.:-]{1,253})$/, "db.example.org");
  requireSetting("port", String(port), /^[1-9]\d{0,4}$/, "5432");
  requireSetting("database", database, /^[\w.-]{1,63}$/, "terraform");
  requireSetting("user", user, /^[\w.@-]{1,63}$/, "terraform");
  requireSetting("schema", schema, /^[\p{L}_][\w-]{0,62}$/u, "network_main");
  requireSetting("sslMode", sslMode, /^(disable|require|verify-ca|verify-full)$/, "verify-full");
  return {
    type: "pg",
    settings: { schema_name: schema },
    environment: {
      PGHOST: host,
      PGPORT: String(port),
      PGDATABASE: database,
      PGUSER: user,
      PGSSLMODE: sslMode,
    },
    secretEnvironment: password === undefined ? {} : { PGPASSWORD: password },
  };
}

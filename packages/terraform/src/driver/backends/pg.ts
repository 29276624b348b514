import type { Secret } from "@cloudwright/platform";
import { requireSetting, type Backend } from "./backend.ts";

/** A state in a PostgreSQL database, which locks by itself. */
export interface PgBackendSettings {
  /** A name, or the directory of a socket. */
  readonly host: string;
  readonly port?: number;
  readonly database: string;
  readonly user: string;
  readonly password?: Secret;
  /** Made if it is not there. */
  readonly schema: string;
  readonly sslMode?: "disable" | "require" | "verify-ca" | "verify-full";
}

/** The backend of it. A connection string would be written into Terraform's files with its password, so there is none. */
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

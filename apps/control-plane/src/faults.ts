import { defineFaults } from "@cloudwright/platform";

export const controlPlaneFaults = defineFaults("control_plane", {
  home_in_use: {
    kind: "conflict",
    when: "a second server is started on the home of a running one",
    help: "Use the running server, stop it first, or set CLOUDWRIGHT_HOME to another directory. For several replicas set DATABASE_URL.",
  },
  database_unreachable: {
    kind: "unavailable",
    when: "no connection to the PostgreSQL that DATABASE_URL names could be made at the start",
    help: "Check that the server runs and that host, port, database, user and password in DATABASE_URL are right.",
  },
  policies_unreadable: {
    kind: "invalid",
    when: "the folder of policies that CLOUDWRIGHT_POLICIES names, or a file in it, cannot be read",
    help: "Set CLOUDWRIGHT_POLICIES to a folder of YAML files that the server may read, or leave it out.",
  },
  cannot_listen: {
    kind: "conflict",
    when: "the address in CLOUDWRIGHT_LISTEN is taken or is not one of this machine",
    help: "Set CLOUDWRIGHT_LISTEN to a free address of this machine; port 0 chooses a free port.",
  },
});

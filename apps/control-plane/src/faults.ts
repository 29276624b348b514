import { defineFaults } from "@cloudwright/platform";

export const controlPlaneFaults = defineFaults("control_plane", {
  home_in_use: {
    kind: "conflict",
    when: "a second server was started with the home directory of a running server",
    help: "Use the running server, stop it first, or set CLOUDWRIGHT_HOME to another directory. To run several replicas, set DATABASE_URL.",
  },
  database_unreachable: {
    kind: "unavailable",
    when: "the PostgreSQL server in DATABASE_URL could not be reached at startup",
    help: "Check that the server is running and that the host, port, database, user and password in DATABASE_URL are correct.",
  },
  policies_unreadable: {
    kind: "invalid",
    when: "the policy folder in CLOUDWRIGHT_POLICIES, or a file in it, cannot be read",
    help: "Set CLOUDWRIGHT_POLICIES to a readable folder of YAML files, or unset it.",
  },
  cannot_listen: {
    kind: "conflict",
    when: "the address in CLOUDWRIGHT_LISTEN is in use or does not belong to this machine",
    help: "Set CLOUDWRIGHT_LISTEN to a free address of this machine; port 0 chooses a free port.",
  },
});

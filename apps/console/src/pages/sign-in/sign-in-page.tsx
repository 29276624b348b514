import { Button, PasswordInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useRouter, useSearch } from "@tanstack/react-router";
import { useEffect, useRef, useState, type FormEvent, type ReactNode } from "react";
import { readTarget } from "../../data/paths.ts";
import { sessionQuery, signIn } from "../../data/session.ts";
import { FaultNote } from "../../design/layout.tsx";

/** Signs the user in with an API key or a one-time link. */
export function SignInPage(): ReactNode {
  const queries = useQueryClient();
  const router = useRouter();
  const { to } = useSearch({ strict: false });
  const [key, setKey] = useState("");
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const enter = async (proof: Parameters<typeof signIn>[0]): Promise<void> => {
    setBusy(true);
    setError(undefined);
    try {
      queries.clear();
      queries.setQueryData(sessionQuery.queryKey, await signIn(proof));
      await router.navigate({ to: readTarget(to) });
    } catch (fault) {
      setError(fault);
      setBusy(false);
    }
  };
  const latest = useRef(enter);
  latest.current = enter;
  useEffect(() => {
    document.title = "Sign in · Cloudwright";
    // The token of a sign-in link is in the URL after the `#`. Browsers do not send that part to the server. The token is removed from the
    // URL before it is used.
    const follow = (): void => {
      const token = /^#token=([\w.-]+)$/.exec(location.hash)?.[1];
      if (token === undefined) return;
      history.replaceState(history.state, "", location.pathname);
      void latest.current({ token });
    };
    follow();
    window.addEventListener("hashchange", follow);
    return () => window.removeEventListener("hashchange", follow);
  }, []);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void enter({ key: key.trim() });
  };
  return (
    <main className="cw-signin">
      <div className="cw-stack">
        <div style={{ textAlign: "center" }}>
          <img src="/assets/favicon.svg" alt="" width={56} height={56} />
          <h1>Cloudwright</h1>
          <div className="cw-muted">Kubernetes clusters in your own cloud accounts</div>
        </div>
        <section className="cw-panel cw-lifted">
          <form className="cw-body cw-stack" style={{ padding: 22 }} onSubmit={submit}>
            <PasswordInput
              label="API key"
              description="The key is exchanged for a session and is not stored in this browser."
              placeholder="cw_…"
              autoComplete="off"
              spellCheck={false}
              autoFocus
              required
              withAsterisk={false}
              value={key}
              onChange={(event) => setKey(event.currentTarget.value)}
            />
            <FaultNote error={error} />
            <Button type="submit" size="md" loading={isBusy}>
              Sign in
            </Button>
          </form>
        </section>
        <div className="cw-muted cw-small" style={{ textAlign: "center" }}>
          On the machine that runs the server, <code>npx cloud console</code> prints a sign-in link. The API key is in the file{" "}
          <code>admin.key</code> in the server's home directory.
        </div>
      </div>
    </main>
  );
}

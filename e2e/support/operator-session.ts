type SignIn = { origin: string; secret: string; headers?: Record<string, string> };

/** Signs in as the operator's page does, and returns the cookie. */
export async function signInAsOperator({ origin, secret, headers }: SignIn): Promise<string> {
  const response = await fetch(`${origin}/operator/sign-in`, {
    method: "POST",
    redirect: "manual",
    headers: { ...headers, Origin: origin },
    body: new URLSearchParams({ secret }),
  });
  const [cookie] = response.headers.getSetCookie();
  if (response.status !== 303 || !cookie) throw new Error(`The sign-in was answered ${response.status}.`);
  return cookie.split(";")[0]!;
}

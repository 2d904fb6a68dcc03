import { emptyContent } from "~/content/content.schema";
import type { GatedContent } from "~/content/content.schema";
import { Refusal } from "~/platform/refusals/refusal";
import { judgeWithState, questionOf, requireHolder } from "../tokens/holder.server";
import type { Holder } from "../tokens/holder";
import type { HolderDependencies } from "../tokens/holder.server";
import { contentNameOf, opensRoom } from "../kinds/kind-of-key";
import type { Claimant, SignedClaimant } from "../proofs/proof.server";
import { proveAndJudge } from "../proofs/signature.server";
import type { SignatureDependencies } from "../proofs/signature.server";
import { requireMet, requireRoom } from "../tokens/require-met";

export type AdmitDependencies = HolderDependencies &
  SignatureDependencies & {
    mintToken: (grant: TokenGrant) => Promise<string>;
    readContent: (request: { tokenId: string }) => Promise<GatedContent>;
    countGrant: (proof: string) => void;
  };

export type TokenGrant = Pick<SignedClaimant, "address" | "keyKind" | "tokenId" | "vault" | "signedText"> & {
  auth: SignedClaimant["kind"];
  siwe: SignedClaimant["claims"];
  /** The wallet that signed has no code yet. */
  isUndeployed: boolean;
  /** The token must be younger than this: the key left and came back. */
  departedAtMs: number | null;
  /** When the chain was asked who holds the key; the token is dated so, and what is noticed later ends it. */
  ownedAtMs: number;
};

export type Admission = { success: true; access: "granted"; accessToken?: string; content: GatedContent };

/** The one way in, once it is known who asks: do you hold the key, is it unused; then what lies behind the gate. */
export async function admit(claimant: Claimant, dependencies: AdmitDependencies): Promise<Admission> {
  let accessToken: string | undefined;
  if (claimant.claims === null) await requireHolder(claimant, dependencies);
  else accessToken = await signIn(claimant, dependencies);
  const { keyKind, tokenId } = claimant;
  const isRoomOpen = claimant.claims === null ? claimant.opensRoom : opensRoom(keyKind);
  const content = isRoomOpen
    ? await dependencies.readContent({ tokenId: contentNameOf(dependencies.kinds, keyKind, tokenId) })
    : emptyContent;
  dependencies.countGrant(claimant.kind);
  return { success: true, access: "granted", ...(accessToken ? { accessToken } : {}), content };
}

export type ContentDependencies = HolderDependencies & {
  origin: string;
  readContent: (request: { tokenId: string; mediaOrigin: string }) => Promise<GatedContent>;
};

/** What lies behind the gate, for somebody whose token was verified; every check of the gate is made again. */
export async function readContentFor(
  holder: Holder,
  { origin, readContent, ...dependencies }: ContentDependencies,
): Promise<GatedContent> {
  const { keyKind, tokenId } = holder;
  requireRoom(holder);
  await requireHolder(holder, dependencies);
  return readContent({ tokenId: contentNameOf(dependencies.kinds, keyKind, tokenId), mediaOrigin: origin });
}

async function signIn(claimant: SignedClaimant, dependencies: AdmitDependencies): Promise<string> {
  const { kind: auth, claims: siwe, address, keyKind, tokenId, vault, signature, signedText } = claimant;
  const { kinds, judge, clock } = dependencies;
  const question = questionOf(claimant);
  let ownedAtMs = clock();
  // A sign-in reads the chain afresh: what it mints outlives any cached reading.
  let isUndeployed = false;
  async function prove() {
    const proven = await proveAndJudge({ message: signedText, signature, question }, dependencies);
    isUndeployed = proven.isUndeployed;
    return proven.judgement;
  }
  const { judgement, state } = await judgeWithState(claimant, prove, dependencies);
  requireMet(question, judgement, kinds);
  const { used, departedAtMs } = state;
  if (used) throw new Refusal("this-token-has-already-been-used");
  if (departedAtMs !== null && departedAtMs >= ownedAtMs) {
    // Seen leaving meanwhile. A token is dated past the departure, so the key must be there in a block that is not older.
    ownedAtMs = clock();
    const readAgain = () => judge.judge({ ...question, fresh: true });
    const { judgement: again, state: noticed } = await judgeWithState(claimant, readAgain, dependencies);
    requireMet(question, again, kinds);
    if (noticed.departedAtMs !== departedAtMs) {
      throw new Refusal("you-do-not-own-this-token", {
        detail: "The key was seen leaving the wallet during the sign-in. If it is there, sign in again.",
      });
    }
  }
  await claimant.spend();
  const proven = { address, keyKind, tokenId, vault, auth, siwe, signedText, isUndeployed };
  return await dependencies.mintToken({ ...proven, departedAtMs, ownedAtMs });
}

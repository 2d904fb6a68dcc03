import { Field } from "~/ui/field";

type VaultFieldProps = {
  value: string;
  onType: (vault: string) => void;
  /** Whether it was sent as it stands. */
  isJudged: boolean;
};

/** For who keeps the key in another wallet, and has named this one as its delegate. */
export function VaultField({ value, onType, isJudged }: VaultFieldProps) {
  return (
    <details className="unfold" open={value !== "" || undefined}>
      <summary>The key is in another wallet of yours</summary>
      <Field
        label="Wallet that holds the key"
        hint="It stays where it is. This wallet signs, if the other one has named it as its delegate at delegate.xyz."
        name="vault"
        autoComplete="off"
        spellCheck={false}
        fault={isJudged ? vaultFault(value) : null}
        value={value}
        onChange={(event) => onType(event.target.value)}
      />
    </details>
  );
}

/** What is wrong with a typed address; null where it can be one, or none was typed. */
export function vaultFault(text: string): string | null {
  if (text.trim() === "" || /^0x[0-9a-fA-F]{40}$/.test(text.trim())) return null;
  return "An address is written as 0x and 40 more digits, 0 to 9 and a to f.";
}

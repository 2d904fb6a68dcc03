/** Which kinds of things wait behind the gate: no word, name, length or address of any of them. */
export type RoomOutline = { hasText: boolean; hasSound: boolean; hasForm: boolean; hasScript: boolean };

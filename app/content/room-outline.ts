/** Which kinds of parts are behind the gate. */
export type RoomOutline = { hasText: boolean; hasSound: boolean; hasForm: boolean; hasScript: boolean };

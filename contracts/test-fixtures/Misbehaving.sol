// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

/// @notice Answers every call in the way it was told to: a stand-in for contracts that are broken or hostile.
contract Misbehaving {
    uint8 public immutable manner;

    constructor(uint8 manner_) {
        manner = manner_;
    }

    fallback() external {
        uint8 how = manner;
        if (how == 0) revert();
        if (how == 1) revert("broken");
        if (how == 2) assembly {
            return(0, 0)
        }
        if (how == 3) assembly {
            mstore(0, not(0))
            return(0, 32)
        }
        if (how == 4) assembly {
            mstore(0, shl(224, 0x1626ba7e))
            return(0, 7)
        }
        if (how == 5) assembly {
            invalid()
        }
        // Returns a megabyte, to see that nobody who asks chokes on it.
        if (how == 6) assembly {
            return(0, 1048576)
        }
        if (how == 7) while (true) {}
        // Says 1 if a call of its own that takes much gas succeeds, and 0 if that runs out.
        uint256 given = gasleft();
        if (msg.sender == address(this)) while (given - gasleft() < 16_000_000) {}
        else {
            (bool success, ) = address(this).staticcall("");
            assembly {
                mstore(0, success)
                return(0, 32)
            }
        }
    }
}

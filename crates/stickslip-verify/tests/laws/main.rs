//! Laws beside Coulomb's own, against closed forms and enumeration: surfaces that move, grains, friction by the speed of the slip, moments of contacts.

mod belts;
mod enumeration;
mod grain;
mod moments;
mod random;
mod stribeck;

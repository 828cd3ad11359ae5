//! Blackjack against a dealer who draws up to 17, from an endless deck (Sutton and Barto, example 5.1).

use ermine_core::Result;
use serde::{Deserialize, Serialize};

use super::{Environment, FiniteStates, TimeStep, no_such_action};
use crate::mdp::{Transition, Transitions};
use crate::numpy_rng::NumpyRng;

/// The value of a natural, an ace and a ten.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BlackjackRules {
    /// The book's: a natural wins unless the dealer has one too.
    #[default]
    Book,
    /// A natural is 21 like any other.
    Plain,
    /// A natural is 21 like any other, and pays 1.5 when it wins.
    Bonus,
}

/// A hand: only what the rules need of its cards.
#[derive(Debug, Clone, Copy, Default)]
struct Hand {
    sum: u32,
    ace: bool,
    cards: u32,
    first: u32,
}

impl Hand {
    fn add(&mut self, card: u32) {
        if self.cards == 0 {
            self.first = card;
        }
        self.sum += card;
        self.ace |= card == 1;
        self.cards += 1;
    }

    fn usable_ace(&self) -> bool {
        self.ace && self.sum + 10 <= 21
    }

    fn total(&self) -> u32 {
        self.sum + if self.usable_ace() { 10 } else { 0 }
    }

    fn score(&self) -> u32 {
        if self.total() > 21 { 0 } else { self.total() }
    }

    fn natural(&self) -> bool {
        self.cards == 2 && self.ace && self.sum == 11
    }
}

/// The game. Actions: 0 stick, 1 hit. An observation is (sum, dealer's card, usable ace) as one number: see [`Blackjack::decode`].
#[derive(Debug, Clone)]
pub struct Blackjack {
    rules: BlackjackRules,
    rng: NumpyRng,
    dealer: Hand,
    player: Hand,
}

impl Blackjack {
    /// A game with these rules.
    pub fn new(rules: BlackjackRules) -> Self {
        let mut game = Self { rules, rng: NumpyRng::new(0), dealer: Hand::default(), player: Hand::default() };
        game.reset(Some(0));
        game
    }

    /// The number of (player's sum below 32, dealer's card below 11, usable ace).
    pub fn encode(sum: usize, dealer: usize, ace: bool) -> usize {
        (sum * 11 + dealer) * 2 + usize::from(ace)
    }

    /// Player's sum, dealer's card, usable ace.
    pub fn decode(state: usize) -> (usize, usize, bool) {
        (state / 22, state / 2 % 11, state % 2 == 1)
    }

    /// The rules.
    pub fn rules(&self) -> BlackjackRules {
        self.rules
    }

    fn deal(&mut self) -> u32 {
        (self.rng.integers(13) + 1).min(10)
    }

    fn observe(&self) -> usize {
        Self::encode(self.player.total() as usize, self.dealer.first as usize, self.player.usable_ace())
    }

    /// The game as a table, exactly. States are numbered as observations are, except a natural, which is at sum 31 (no
    /// hand has that sum); hands that cannot occur end at once.
    pub fn transitions(rules: BlackjackRules) -> Result<Transitions> {
        const CARD: f64 = 1.0 / 13.0;
        let chance = |card: usize| if card == 10 { 4.0 * CARD } else { CARD };
        let draw = |hand: Hand, card: usize| {
            let mut hand = hand;
            hand.add(card as u32);
            hand
        };
        /// Probabilities of the dealer's score 0 (bust), 17 to 21, and of a natural.
        fn dealer_ends(hand: Hand, weight: f64, chance: &impl Fn(usize) -> f64, ends: &mut [f64; 23]) {
            if hand.total() >= 17 {
                ends[if hand.natural() { 22 } else { hand.score() as usize }] += weight;
                return;
            }
            for card in 1..=10 {
                let mut more = hand;
                more.add(card as u32);
                dealer_ends(more, weight * chance(card), chance, ends);
            }
        }
        let ends: Vec<[f64; 23]> = (0..=10)
            .map(|card| {
                let mut ends = [0.0; 23];
                if card > 0 {
                    dealer_ends(draw(Hand::default(), card), 1.0, &chance, &mut ends);
                }
                ends
            })
            .collect();
        const NATURAL: usize = 31;
        let place = |hand: &Hand, dealer: usize| {
            let sum = if hand.natural() { NATURAL } else { hand.total() as usize };
            Self::encode(sum, dealer, hand.usable_ace())
        };
        let mut start = vec![0.0; 32 * 22];
        for (a, b, dealer) in (0..1000).map(|i| (i / 100 + 1, i / 10 % 10 + 1, i % 10 + 1)) {
            start[place(&draw(draw(Hand::default(), a), b), dealer)] += chance(a) * chance(b) * chance(dealer);
        }
        Transitions::new(32 * 22, 2, start, |state, action| {
            let (sum, dealer, ace) = Self::decode(state);
            let natural = sum == NATURAL && ace;
            let ended = |probability, next, reward| Transition { probability, next, reward, terminated: true };
            if dealer == 0 || !(natural || (4..=21).contains(&sum) && (!ace || sum >= 12)) {
                return vec![ended(1.0, state, 0.0)];
            }
            let total = if natural { 21 } else { sum };
            if action == 1 {
                let hand = Hand { sum: total as u32 - if ace { 10 } else { 0 }, ace, cards: 3, first: 0 };
                return (1..=10)
                    .map(|card| {
                        let hand = draw(hand, card);
                        let (next, probability) = (place(&hand, dealer), chance(card));
                        match hand.total() > 21 {
                            true => ended(probability, next, -1.0),
                            false => Transition { probability, next, reward: 0.0, terminated: false },
                        }
                    })
                    .collect();
            }
            let outcome = |(score, &probability): (usize, &f64)| {
                let (score, dealer_natural) = if score == 22 { (21, true) } else { (score, false) };
                let plain = f64::from(total > score) - f64::from(total < score);
                let reward = match rules {
                    BlackjackRules::Book if natural && !dealer_natural => 1.0,
                    BlackjackRules::Bonus if natural && plain == 1.0 => 1.5,
                    _ => plain,
                };
                ended(probability, state, reward)
            };
            ends[dealer].iter().enumerate().filter(|(_, p)| **p > 0.0).map(outcome).collect()
        })
    }
}

impl Environment for Blackjack {
    type Observation = usize;

    fn reset(&mut self, seed: Option<u64>) -> usize {
        if let Some(seed) = seed {
            self.rng = NumpyRng::new(seed);
        }
        (self.dealer, self.player) = (Hand::default(), Hand::default());
        for _ in 0..2 {
            let card = self.deal();
            self.dealer.add(card);
        }
        for _ in 0..2 {
            let card = self.deal();
            self.player.add(card);
        }
        // Gymnasium also draws the suit, and the letter of a ten, for rendering.
        self.rng.integers(4);
        if self.dealer.first == 10 {
            self.rng.integers(3);
        }
        self.observe()
    }

    fn step(&mut self, action: usize) -> Result<TimeStep<usize>> {
        let (reward, terminated) = match action {
            1 => {
                let card = self.deal();
                self.player.add(card);
                let bust = self.player.total() > 21;
                (if bust { -1.0 } else { 0.0 }, bust)
            }
            0 => {
                while self.dealer.total() < 17 {
                    let card = self.deal();
                    self.dealer.add(card);
                }
                let (mine, theirs) = (self.player.score(), self.dealer.score());
                let plain = f64::from(mine > theirs) - f64::from(mine < theirs);
                let natural = self.player.natural();
                let reward = match self.rules {
                    BlackjackRules::Book if natural && !self.dealer.natural() => 1.0,
                    BlackjackRules::Bonus if natural && plain == 1.0 => 1.5,
                    _ => plain,
                };
                (reward, true)
            }
            _ => return Err(no_such_action("blackjack", action, 2)),
        };
        Ok(TimeStep { observation: self.observe(), reward, terminated, truncated: false })
    }

    fn actions(&self) -> usize {
        2
    }

    fn render(&self) -> String {
        let ace = if self.player.usable_ace() { " with a usable ace" } else { "" };
        format!("dealer shows {}\nplayer has {}{ace}\n", self.dealer.first, self.player.total())
    }
}

impl FiniteStates for Blackjack {
    fn states(&self) -> usize {
        32 * 22
    }
}
